/** Multipart forms as a client sends them. */

const boundary = 'a-line-that-stands-in-no-test'

/** Text as fields, bytes as files named `file.png`, or as `names` says. */
export function asForm(
  fields: Record<string, unknown>,
  names: Record<string, string> = {},
): { payload: Buffer; headers: Record<string, string> } {
  const parts = Object.entries(fields).flatMap(([name, value]) => {
    const file = Buffer.isBuffer(value) ? `; filename="${names[name] ?? 'file.png'}"\r\ncontent-type: application/octet-stream` : ''
    const head = Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; name="${name}"${file}\r\n\r\n`)
    return [head, Buffer.isBuffer(value) ? value : Buffer.from(String(value)), Buffer.from('\r\n')]
  })
  return {
    payload: Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]),
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
  }
}
