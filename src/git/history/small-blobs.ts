/** The small files that commits bring: what stands for large files is found among them. */
import { lines } from '../process/output.ts'
import { type Repo, runCostly } from '../repository/repository.ts'

const deadline_ms = 10 * 60_000

/**
 * The ids of the blobs of less than `below_bytes` that are reached from `tips` and not from `known`. Objects that aren't there are left
 * out of either.
 */
export async function smallBlobs(repo: Repo, tips: Iterable<string>, known: Iterable<string>, below_bytes: number): Promise<string[]> {
  const input = [...tips, ...[...known].map((oid) => `^${oid}`)].map((line) => `${line}\n`).join('')
  const filters = [`--filter=blob:limit=${below_bytes}`, '--filter=object:type=blob', '--filter-provided-objects']
  const args = ['rev-list', '--objects', '--no-object-names', ...filters, '--ignore-missing', '--stdin']
  return [...new Set(lines(await runCostly(repo, args, { input, deadline_ms })))]
}
