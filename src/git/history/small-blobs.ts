/** Lists the small files that commits bring: pointers to large files (LFS) are found among them. */
import { lines } from '../process/output.ts'
import { type Repo, runCostly } from '../repository/repository.ts'

const deadline_ms = 10 * 60_000

/** Ids of the blobs smaller than `below_bytes` that are reached from `tips` and not from `known`. Missing objects in either are ignored. */
export async function smallBlobs(repo: Repo, tips: Iterable<string>, known: Iterable<string>, below_bytes: number): Promise<string[]> {
  const input = [...tips, ...[...known].map((oid) => `^${oid}`)].map((line) => `${line}\n`).join('')
  const filters = [`--filter=blob:limit=${below_bytes}`, '--filter=object:type=blob', '--filter-provided-objects']
  const args = ['rev-list', '--objects', '--no-object-names', ...filters, '--ignore-missing', '--stdin']
  return [...new Set(lines(await runCostly(repo, args, { input, deadline_ms })))]
}
