declare module 'textile-js' {
  /** Textile as HTML. What was written as HTML stays as it is. */
  export default function textile(text: string): string
}
