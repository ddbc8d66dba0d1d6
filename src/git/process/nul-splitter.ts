/** Splits the output of git with `-z` into records ended by NUL, however it is chunked. */

/** Calls `onRecord` with each complete record, without its NUL. */
export function recordSplitter(onRecord: (record: Buffer) => void): (chunk: Buffer) => void {
  let pending: Buffer[] = []
  return (chunk) => {
    let at = 0
    for (let end = chunk.indexOf(0); end >= 0; end = chunk.indexOf(0, at)) {
      const part = chunk.subarray(at, end)
      onRecord(pending.length === 0 ? part : Buffer.concat([...pending, part]))
      pending = []
      at = end + 1
    }
    if (at < chunk.length) pending.push(chunk.subarray(at))
  }
}
