/** A 200 of a media type other than JSON, completely in memory. */
export class TextResponse {
  readonly text: string
  readonly headers: Readonly<Record<string, string>>

  /** @param headers with its Content-Type. */
  constructor(text: string, headers: Readonly<Record<string, string>> & { readonly 'Content-Type': string }) {
    this.text = text
    this.headers = { ...headers, 'X-Content-Type-Options': 'nosniff' }
  }
}
