declare module 'textile-js' {
  /** Converts Textile to HTML. HTML in the text is kept unchanged. */
  export default function textile(text: string): string
}
