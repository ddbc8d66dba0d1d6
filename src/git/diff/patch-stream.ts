/** A diff as git writes it, streamed: plain, or as patches for `git am`. */
import type { Readable } from 'node:stream'
import { emptyTree } from '../objects/object-id.ts'
import type { Commit } from '../objects/parse.ts'
import { requireListableChange } from '../objects/unfolding.ts'
import { command } from '../process/command.ts'
import { outputOf, sendingDeadline_ms, whenStarted } from '../process/output.ts'
import { type Repo, startIn } from '../repository/repository.ts'

/** Streams the changes from `from` (null for the empty tree) to `to`. Closing the stream kills git. */
export async function openDiff(repo: Repo, from: string | null, to: string): Promise<Readable> {
  await requireListableChange(repo, from, to)
  return open(repo, command`diff-tree -p -M --no-color --no-ext-diff --no-textconv ${from ?? emptyTree} ${to}`)
}

/** Streams the commit as an email; for a merge, one email for each commit that it merged. */
export async function openPatch(repo: Repo, { oid, parents }: Commit): Promise<Readable> {
  return openPatches(repo, parents[0] ?? null, oid)
}

/** The commits of `to` that `from` (null for nothing at all) doesn't have, as mails, the oldest first. Merges have none. */
export async function openPatches(repo: Repo, from: string | null, to: string): Promise<Readable> {
  await requireListableChange(repo, from, to)
  const range = from === null ? ['--root', to] : [`${from}..${to}`]
  return open(repo, ['format-patch', '--stdout', '--no-color', '--no-ext-diff', '--no-textconv', ...range])
}

async function open(repo: Repo, args: string[]): Promise<Readable> {
  return whenStarted(outputOf(startIn(repo, args, { deadline_ms: sendingDeadline_ms }), args))
}
