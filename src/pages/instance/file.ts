/** A small file that browsers request, made by the program. */

export function fileOf(type: string, text: string) {
  const body = Buffer.from(text)
  const headers = { type, 'cache-control': 'public, max-age=3600' }
  return {
    bytes: {
      size: body.length,
      describe: () => headers,
      open: (part?: { start: number; end: number }) => (part ? body.subarray(part.start, part.end + 1) : body),
    },
  }
}
