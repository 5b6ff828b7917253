// Reports are untrusted: control characters (ECMA-48: C0, DEL, C1) in their text would command a terminal.

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are replaced
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

/** Writes control characters other than line ends and tabs as `\x1b`. */
export function terminalText(text: string): string {
  return text.replace(controls, (control) => `\\x${control.charCodeAt(0).toString(16).padStart(2, '0')}`)
}

export async function* terminalChunks(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  for await (const chunk of chunks) yield terminalText(decoder.decode(chunk, { stream: true }))
  yield terminalText(decoder.decode())
}
