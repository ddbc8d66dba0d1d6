/** Paths as git writes them in its output: quoted and escaped where they have unusual bytes. */

const escapes: Readonly<Record<string, string>> = { a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' }

/** Each character of `written` is one byte. */
export function unquoted(written: string): string {
  const bytes = written.startsWith('"')
    ? written.slice(1, -1).replace(/\\([0-7]{3}|.)/g, (_, code: string) => {
        return code.length === 3 ? String.fromCharCode(Number.parseInt(code, 8)) : (escapes[code] ?? code)
      })
    : written
  return Buffer.from(bytes, 'latin1').toString('utf8')
}
