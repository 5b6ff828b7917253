/** Control characters other than line ends and tabs: C0, DEL and C1 (ECMA-48), with which a text commands a terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

/** Text as it is safe to show on a terminal, because reports are untrusted: `\x1b` stands for the escape character. */
export function terminalText(text: string): string {
  return text.replace(controls, (control) => `\\x${control.charCodeAt(0).toString(16).padStart(2, '0')}`)
}

/** The same of UTF-8 in pieces. */
export async function* terminalChunks(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  for await (const piece of pieces) yield terminalText(decoder.decode(piece, { stream: true }))
  yield terminalText(decoder.decode())
}
