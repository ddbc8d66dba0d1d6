/**
 * Which tests run on PostgreSQL, besides SQLite. The full run: all but files that don't depend on the engine. The gate: files about the
 * database itself, and the tests listed in `test/on-postgres.txt`, which together run nearly every SQL text. `npm run test:all -- --record`
 * chooses them.
 */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Folders, which end with a slash, and files. The gate runs them completely. */
export const whole = [
  'src/access/',
  'src/db/',
  'src/features/commands/issues/races.test.ts',
  'src/queue/',
  'test/contract/access.test.ts',
  'test/contract/replies.test.ts',
  'test/scripts/crash/database-away.test.ts',
  'test/scripts/disk/full-database.test.ts',
]

/**
 * Folders and files with tests of pure functions, of git alone, of the store, of the wire format, of rendering, and of reading
 * repositories: the engine doesn't matter for them. The statements of pushes, readers and attacks run on both engines in other tests
 * (`push.test.ts`, `protection.test.ts`, `find.test.ts`), and each endpoint is called on both (`replies.test.ts`).
 */
export const withoutDatabase = [
  'src/access/passwords/passwords.test.ts',
  'src/access/ssh-keys.test.ts',
  'src/backup/undo.test.ts',
  'src/ci/',
  'src/config.test.ts',
  'src/db/prepared-queries.test.ts',
  'src/features/ci/cron/cron.test.ts',
  'src/features/ci/processing/composite.test.ts',
  'src/features/ci/processing/next-steps.test.ts',
  'src/features/ci/statuses/transitions.test.ts',
  'src/features/ci/traces/masks.test.ts',
  'src/features/commands/merge-trains/planner.test.ts',
  'src/features/commands/merging/messages.test.ts',
  'src/features/commands/merging/resolutions.test.ts',
  'src/features/discussion/notes/system-notes.test.ts',
  'src/features/discussion/references/closing.test.ts',
  'src/features/instance/emoji-names.test.ts',
  'src/features/instance/images.test.ts',
  'src/features/instance/markdown/',
  'src/features/namespaces/paths.test.ts',
  'src/features/people/gpg-keys/openpgp.test.ts',
  'src/features/people/second-factor/recovery-codes.test.ts',
  'src/features/people/second-factor/totp.test.ts',
  'src/features/repository/commits/commit-refs.test.ts',
  'src/features/repository/commits/commits.test.ts',
  'src/features/repository/contents/archive.test.ts',
  'src/features/repository/contents/bomb.test.ts',
  'src/features/repository/contents/compare.test.ts',
  'src/features/repository/contents/contents.test.ts',
  'src/features/repository/contents/raw.test.ts',
  'src/features/repository/files/blame.test.ts',
  'src/features/repository/files/files.test.ts',
  'src/features/repository/push-rules/commit-checks.test.ts',
  'src/features/repository/stats/languages.test.ts',
  'src/features/review/diff-notes/suggestions.test.ts',
  'src/features/search/code-search/query.test.ts',
  'src/features/spaces/uploads/file-names.test.ts',
  'src/features/subscribers.test.ts',
  'src/features/transfer/archive/table-lines.test.ts',
  'src/git/',
  'src/http/caller/address.test.ts',
  'src/http/limits/slow-clients.test.ts',
  'src/http/parameters/',
  'src/http/reply/page.test.ts',
  'src/http/reply/ranges.test.ts',
  'src/http/serve/admission.test.ts',
  'src/http/serve/path-table.test.ts',
  'src/http/serve/sent-bytes.test.ts',
  'src/http/serve/waits.test.ts',
  'src/limits/',
  'src/logging/',
  'src/main.test.ts',
  'src/outgoing/',
  'src/pages/feeds/calendar.test.ts',
  'src/text/english.test.ts',
  'src/pages/frame/page-words.test.ts',
  'src/pages/frame/patterns.test.ts',
  'src/pages/project/status-badge.test.ts',
  'src/pages/repository/history/',
  'src/processes/',
  'src/program/process-identity.test.ts',
  'src/runner/',
  'src/sandbox/',
  'src/store/',
  'src/text/',
  'src/transport/lfs/json.test.ts',
  'src/transport/ssh/command-line.test.ts',
  'src/transport/ssh/host-keys.test.ts',
  'src/transport/ssh/limits.test.ts',
  'test/browser/',
  'test/contract/asset-sizes.test.ts',
  'test/contract/colours.test.ts',
  'test/contract/coverage.test.ts',
  'test/contract/docs.test.ts',
  'test/contract/expressions.test.ts',
  'test/contract/import-law.test.ts',
  'test/contract/matrix/table.test.ts',
  'test/contract/methods.test.ts',
  'test/contract/openapi.test.ts',
  'test/contract/presenters.test.ts',
  'test/contract/reference-fields.test.ts',
  'test/contract/shadowed-names.test.ts',
  'test/contract/style-names.test.ts',
  // They read the schema, which is the same on both.
  'test/contract/tables/',
  'test/contract/where.test.ts',
  'test/scripts/crash/failed-start.test.ts',
  'test/scripts/crash/power-cut.test.ts',
  'test/scripts/crash/process-lives.test.ts',
  'test/scripts/disk/full-disk.test.ts',
  'test/scripts/git/clone-cache.test.ts',
  'test/scripts/git/clone.test.ts',
  'test/scripts/git/odd-repository.test.ts',
  'test/scripts/git/protocol-requests.test.ts',
  'test/scripts/git/stop-after-many-refs.test.ts',
  'test/scripts/git/streams.test.ts',
  'test/scripts/npm-start.test.ts',
  'test/scripts/ssh/openssh-server.test.ts',
  'test/scripts/ssh/shell-slots.test.ts',
  'test/scripts/ssh/ssh-flood.test.ts',
  'test/scripts/ssh/ssh-other-clients.test.ts',
  'test/scripts/ssh/ssh.test.ts',
  'test/support/',
]

const separator = ' › '
const list = fileURLToPath(new URL('../../on-postgres.txt', import.meta.url))
/** Lines of the list. */
export const chosen = new Set(readFileSync(list, 'utf8').split('\n').filter(Boolean))

const filesOfChosen = new Set([...chosen].map(fileOf))

/** The files with tests for PostgreSQL, in the gate or in the full run, relative to the root of the project. */
export function filesOnPostgres(files: string[], inGate: boolean): string[] {
  return files.filter((file) => (inGate ? isWhole(file) || filesOfChosen.has(file) : !isIn(withoutDatabase, file)))
}

/** Whether the gate runs a test there. */
export function isOnPostgres(file: string, test: string): boolean {
  return isWhole(file) || chosen.has(lineOf(file, test))
}

/** The line of a test in the list. */
export function lineOf(file: string, test: string): string {
  return `${file}${separator}${test.replaceAll('\n', ' ')}`
}

/** The lines of a file. */
export function chosenOf(file: string): string[] {
  return [...chosen].filter((line) => fileOf(line) === file)
}

/** The file that a line of the list names. */
export function fileOf(line: string): string {
  return line.slice(0, line.indexOf(separator))
}

/** Whether the gate runs all of its tests that depend on the engine. */
export function isWhole(file: string): boolean {
  return isIn(whole, file) && !isIn(withoutDatabase, file)
}

/** Lists of files and folders. */
export function isIn(list: readonly string[], file: string): boolean {
  return list.some((name) => (name.endsWith('/') ? file.startsWith(name) : file === name))
}
