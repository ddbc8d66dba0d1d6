/** Copies one commit with its history from one of our repositories to another; no ref moves. */
import { inQuarantine } from '../objects/quarantine.ts'
import { extraConfig } from '../process/extra-config.ts'
import { captureIn, type Repo } from '../repository/repository.ts'

const deadline_ms = 10 * 60_000

/** Copies all of it or nothing; it is on disk when this resolves. Objects that the target has already are not copied again. */
export async function fetchCommit(source: Repo, target: Repo, oid: string): Promise<void> {
  const quietly = ['--quiet', '--no-progress', '--no-write-fetch-head', '--no-tags', '--no-auto-maintenance', '--no-recurse-submodules']
  const settings = extraConfig([
    ['protocol.file.allow', 'always'],
    ['fetch.fsckObjects', 'false'],
  ])
  await inQuarantine(target, (env) =>
    target.git.costly.run(target, () =>
      captureIn(target, ['fetch', ...quietly, '--', source.dir, oid], { env: { ...env, ...settings }, deadline_ms }),
    ),
  )
}
