/** Sizes and contents of many blobs, some of which are still in quarantine. */
import { setImmediate as turn } from 'node:timers/promises'
import { command } from '../process/command.ts'
import { gitFailure } from '../process/git-failure.ts'
import { captureIn, type Repo, startIn } from '../repository/repository.ts'
import { withQuarantine } from './quarantine.ts'

/** The size of each blob in bytes; what isn't there is absent. One process. */
export async function blobSizes(repo: Repo, quarantine: string, oids: readonly string[]): Promise<Map<string, number>> {
  if (oids.length === 0) return new Map()
  const options = { input: `${oids.join('\n')}\n`, env: withQuarantine(repo, quarantine) }
  const { output } = await captureIn(repo, command`cat-file --batch-check --buffer`, options)
  const lines = output.toString('latin1').split('\n')
  return new Map(
    lines.flatMap((line): Array<[string, number]> => {
      const [oid = '', type, size] = line.split(' ')
      return type === 'blob' ? [[oid, Number(size)]] : []
    }),
  )
}

/**
 * Calls `visit` with the bytes of each blob, in this order, until it returns false. One process; each blob is held as a whole, so the
 * caller chooses small ones.
 */
export async function visitBlobs(
  repo: Repo,
  quarantine: string,
  oids: readonly string[],
  deadline_ms: number,
  visit: (oid: string, data: Buffer) => boolean,
): Promise<void> {
  if (oids.length === 0) return
  const args = command`cat-file --batch --buffer`
  const child = startIn(repo, args, { env: withQuarantine(repo, quarantine), deadline_ms })
  child.stdin.end(`${oids.join('\n')}\n`)
  const take = blobReader(visit)
  for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
    if (!take(chunk)) {
      child.kill()
      return
    }
    await turn()
  }
  const { code, stderr } = await child.finished
  if (code !== 0) throw gitFailure(args, code, stderr)
}

/** Reads `<id> blob <size>\n<bytes>\n`, however it is chunked. */
export function blobReader(visit: (oid: string, data: Buffer) => boolean): (chunk: Buffer) => boolean {
  let pending: Buffer[] = []
  let held = 0
  /** How many bytes must be there before there is anything to read. */
  let needed = 1
  return (chunk) => {
    pending.push(chunk)
    held += chunk.length
    if (held < needed) return true
    let rest = Buffer.concat(pending)
    for (;;) {
      const line = rest.indexOf(10)
      if (line < 0) break
      const [oid = '', , size] = rest.toString('latin1', 0, line).split(' ')
      // A missing object has one line, without a size.
      const end = size === undefined ? line + 1 : line + 1 + Number(size) + 1
      needed = end
      if (rest.length < end) break
      if (size !== undefined && !visit(oid, rest.subarray(line + 1, end - 1))) return false
      rest = rest.subarray(end)
      needed = 1
    }
    pending = [rest]
    held = rest.length
    return true
  }
}
