/** Judges the files that new commits write: their paths, their sizes, and whether they hold secrets. */
import type { App } from '../../../app.ts'
import type { PushRule } from '../../../db/tables.ts'
import { type Brought, type NewFile, visitNewFiles } from '../../../git/history/new-commits.ts'
import { blobSizes, visitBlobs } from '../../../git/objects/quarantined-blobs.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { type RuleChecks, shown } from './commit-checks.ts'
import { secretFileName, secretsIn } from './secrets.ts'

export interface Judging {
  app: App
  repo: Repo
  rule: PushRule
  checks: RuleChecks
  brought: Brought
}

export interface FilesJudged {
  /** The first file that is denied. */
  fault: { file: string; what: string } | null
  /** One line for each suspected secret, with its kind, its place and its commit. */
  secrets: string[]
  /** Whether there was too much to look at all of it. */
  isLate: boolean
}

/** A push of more files is judged in parts. */
const maxFiles = 500_000
/** Larger files are data, not texts that somebody wrote a secret into. */
const maxSearched_bytes = 1024 * 1024
const maxSecrets = 10
const mebibyte = 1024 * 1024

/** Three processes at most. */
export async function judgeFiles(judging: Judging): Promise<FilesJudged> {
  const { rule, checks, repo, brought } = judging
  const judged: FilesJudged = { fault: null, secrets: [], isLate: false }
  if (rule.file_name_regex === '' && rule.max_file_size === 0 && !rule.prevent_secrets) return judged
  const readsBlobs = rule.max_file_size > 0 || rule.prevent_secrets
  /** Each blob with the commit that wrote it first. */
  const blobs = new Map<string, NewFile>()
  let count = 0
  const isDone = await visitNewFiles(repo, brought, (file) => {
    count += 1
    if (file.isNew) {
      const what = checks.pathFault(file.path)
      if (what !== null) judged.fault = { file: whereOf(file), what }
      const kind = rule.prevent_secrets ? secretFileName(file.path) : null
      if (kind !== null && judged.secrets.length < maxSecrets) judged.secrets.push(`${kind} (by its name): ${whereOf(file)}`)
    }
    // The newest commits come first; the oldest is the one that brought it.
    if (readsBlobs && !file.isMoved) blobs.set(file.oid, file)
    return judged.fault === null && count <= maxFiles
  })
  judged.isLate = !isDone || count > maxFiles
  if (judged.fault !== null || judged.isLate || blobs.size === 0) return judged
  return judgeBlobs(judging, blobs, judged)
}

async function judgeBlobs({ repo, rule, brought }: Judging, blobs: Map<string, NewFile>, judged: FilesJudged): Promise<FilesJudged> {
  const sizes = await blobSizes(repo, brought.quarantine, [...blobs.keys()])
  const limit = rule.max_file_size === 0 ? Number.POSITIVE_INFINITY : rule.max_file_size * mebibyte
  for (const [oid, file] of blobs) {
    const size = sizes.get(oid) ?? 0
    if (size > limit) {
      const what = `it has ${(size / mebibyte).toFixed(1)} MiB, and ${rule.max_file_size} MiB are allowed (larger files: Git LFS)`
      return { ...judged, fault: { file: whereOf(file), what } }
    }
  }
  if (!rule.prevent_secrets) return judged
  const searched = [...blobs.keys()].filter((oid) => (sizes.get(oid) ?? 0) <= maxSearched_bytes)
  const left_ms = Math.max(brought.until_ms - performance.now(), 1)
  await visitBlobs(repo, brought.quarantine, searched, left_ms, (oid, data) => {
    const file = blobs.get(oid)
    if (file) for (const { name, line } of secretsIn(data)) judged.secrets.push(`${name} in ${whereOf(file, line)}`)
    return judged.secrets.length < maxSecrets
  })
  return { ...judged, secrets: judged.secrets.slice(0, maxSecrets) }
}

function whereOf({ path, commit }: NewFile, line?: number): string {
  return `${shown(path)}${line === undefined ? '' : `:${line}`} of commit ${commit.slice(0, 12)}`
}
