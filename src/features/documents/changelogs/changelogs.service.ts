/** Changelogs: collects the trailers of a range of commits as a section of Markdown, also in a file of the repository. */
import type { LocatedProject, ProjectAccess } from '../../../access/find.ts'
import { canSeeMergeRequests } from '../../../access/merge-requests.ts'
import { type Addressed, peopleOfAddresses } from '../../../access/readers.ts'
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { Failure, invalid, notFound } from '../../../failure.ts'
import { lastCommitOf } from '../../../git/history/history.ts'
import { readBlob } from '../../../git/objects/blobs.ts'
import { titleOf } from '../../../git/objects/commit-title.ts'
import { trailersOf } from '../../../git/objects/commit-trailers.ts'
import type { Commit } from '../../../git/objects/parse.ts'
import { pathParts } from '../../../git/objects/paths.ts'
import { findEntry, objectInfo, readCommit, readCommitsWithin } from '../../../git/objects/read.ts'
import { lines } from '../../../git/process/output.ts'
import { listRefs } from '../../../git/refs/refs.ts'
import { type Repo, runCostly } from '../../../git/repository/repository.ts'
import { commitActions } from '../../repository/commit-actions/commit-actions.ts'
import type { Pusher } from '../../repository/pushes/pushes.ts'
import { commitOrTip, requireCommitOrTip } from '../../repository/revisions.ts'
import { mergedWith } from './changelogs.queries.ts'
import { withSection } from './sections.ts'
import { type ChangelogSettings, formatDay, readChangelogSettings } from './settings.ts'
import { fillTemplate, type TemplateValue } from './template.ts'
import { tagBefore, type Version, versionOf } from './versions.ts'

/** The range of commits, and the version to describe. */
export interface ChangelogRequest {
  version: string
  from?: string | undefined
  to?: string | undefined
  date?: string | undefined
  trailer: string
  config_file: string
  config_file_ref?: string | undefined
}

/** The caller and the repository. */
export interface ChangelogPlace {
  repo: Repo
  project: LocatedProject
  access: ProjectAccess
  user: User | null
}

const maxCommits = 15_000
const maxMessages_chars = 32 * 1024 * 1024
const maxSettings_bytes = 64 * 1024
const maxFile_bytes = 4 * 1024 * 1024

/**
 * The section of a version: a heading, and the result of the template for the commits in `from..to` with the trailer. Throws 404 for a
 * commit that doesn't exist, 422 if it isn't known where the range begins.
 */
export async function changelogSection(app: App, place: ChangelogPlace, request: ChangelogRequest, branch?: string): Promise<string> {
  const { repo, project } = place
  const version = versionOf(request.version)
  if (!version) throw invalid('version does not have a valid format')
  const tip = await requireCommitOrTip(repo, project, request.to ?? (branch && `refs/heads/${branch}`), 'Commit')
  const settings = readChangelogSettings(await settingsIn(place, request))
  const start = await startOf(place, request.from, version)
  const commits = await commitsSaying(repo, start, tip, request.trailer)
  const text = fillTemplate(settings.template, { categories: await categoriesOf(app, place, commits, request.trailer, settings) })
  const day = request.date === undefined ? new Date() : new Date(request.date)
  return `## ${request.version.replace(/^v/, '')} (${formatDay(settings.date_format, day)})\n\n${text.trim()}\n`
}

/** Commits the section to the file on the branch. Throws 400 if the file isn't text, or has changed meanwhile. */
export async function commitChangelog(
  app: App,
  pusher: Pusher,
  { repo, project }: ChangelogPlace,
  section: string,
  into: { version: string; branch?: string | undefined; file: string; message?: string | undefined },
): Promise<void> {
  const branch = into.branch ?? project.default_branch
  if (branch === null) throw notFound('Commit')
  const tip = await requireCommitOrTip(repo, project, `refs/heads/${branch}`, 'Commit')
  const known = await textAt(repo, tip, into.file, maxFile_bytes)
  const last_commit_id = known === null ? null : await lastCommitOf(repo, tip, (pathParts(into.file) ?? []).join('/'))
  const content = withSection(known ?? '', into.version, section)
  const commit_message = into.message || `Add changelog for version ${into.version.replace(/^v/, '')}`
  await commitActions(app, pusher, { branch, commit_message }, [
    {
      action: known === null ? 'create' : 'update',
      file_path: into.file,
      content,
      encoding: 'text',
      ...(last_commit_id && { last_commit_id }),
    },
  ])
}

/** Null if there is no such file. */
async function settingsIn({ repo, project }: ChangelogPlace, { config_file, config_file_ref }: ChangelogRequest): Promise<string | null> {
  const at = await commitOrTip(repo, project, config_file_ref)
  return at && textAt(repo, at, config_file, maxSettings_bytes)
}

/** The text of a file; null if there is none. Throws 400 if it isn't text, is a symbolic link, or is too large. */
async function textAt(repo: Repo, commit: string, filePath: string, max_bytes: number): Promise<string | null> {
  const path = (pathParts(filePath) ?? []).join('/')
  const entry = path === '' ? null : await findEntry(repo, (await readCommit(repo, commit)).tree, path)
  // Its content is a path, which would be overwritten.
  if (entry?.mode === '120000') throw invalid(`${path} is a symbolic link`)
  const info = entry?.type === 'blob' ? await objectInfo(repo, entry.oid) : null
  if (!info) return null
  if (info.size > max_bytes) throw invalid(`${path} is larger than ${max_bytes} bytes`)
  const data = (await readBlob(repo, info.oid))?.data ?? Buffer.alloc(0)
  const text = data.toString('utf8')
  if (!Buffer.from(text).equals(data)) throw invalid(`${path} is not text in UTF-8`)
  return text
}

async function startOf({ repo, project }: ChangelogPlace, from: string | undefined, version: Version): Promise<string> {
  if (from !== undefined) return requireCommitOrTip(repo, project, from, 'Commit')
  const tag = tagBefore(await listRefs(repo, 'tags'), version)
  if (!tag) throw new Failure('unprocessable', '422 There is no tag of an earlier version: say from which commit on (from)')
  return requireCommitOrTip(repo, project, `refs/tags/${tag.name}`, 'Commit')
}

const reverting = /This reverts commit ([0-9a-f]{40,64})\b/g

/** The commits of the range with the trailer, oldest first. Reverted commits and their reverts are left out. */
async function commitsSaying(repo: Repo, start: string, tip: string, trailer: string): Promise<Commit[]> {
  const found = lines(
    await runCostly(repo, [
      'rev-list',
      `--max-count=${maxCommits}`,
      '--fixed-strings',
      `--grep=${trailer}:`,
      '--grep=This reverts commit ',
      tip,
      `^${start}`,
      '--',
    ]),
  )
  const commits = await readCommitsWithin(repo, found, maxMessages_chars)
  const there = new Set(commits.map(({ oid }) => oid))
  const undone = new Set<string>()
  for (const { oid, message } of commits)
    for (const [, reverted = ''] of message.matchAll(reverting)) if (there.has(reverted)) undone.add(reverted).add(oid)
  return commits.filter(({ oid, message }) => !undone.has(oid) && Object.hasOwn(trailersOf(message), trailer)).reverse()
}

async function categoriesOf(
  app: App,
  { project, access, user }: ChangelogPlace,
  commits: Commit[],
  trailer: string,
  { categories }: ChangelogSettings,
): Promise<TemplateValue[]> {
  const writers = await peopleOfAddresses(
    app.db,
    project,
    commits.map(({ author }) => author.email),
  )
  const seen = canSeeMergeRequests(access, user)
  const requests = seen
    ? await mergedWith(
        app.db,
        project.id,
        commits.map(({ oid }) => oid),
      )
    : new Map<string, number>()
  const entries = new Map<string, TemplateValue[]>()
  for (const commit of commits) {
    const trailers = trailersOf(commit.message)
    const value = trailers[trailer] as string
    const title = categories.get(value) ?? value
    const iid = requests.get(commit.oid)
    const listed = entries.get(title) ?? []
    entries.set(title, listed)
    listed.push({
      title: titleOf(commit.message),
      commit: { reference: `${project.full_path}@${commit.oid}`, trailers },
      author: authorOf(writers.get(commit.author.email.toLowerCase())),
      merge_request: iid === undefined ? null : { reference: `${project.full_path}!${iid}` },
    })
  }
  return [...entries].map(([title, listed]) => ({ title, count: listed.length, single_change: listed.length === 1, entries: listed }))
}

/** Non-members count as contributors. */
function authorOf(writer: Addressed | undefined): TemplateValue {
  if (!writer) return { reference: '', contributor: false }
  return { reference: `@${writer.username}`, contributor: !writer.isMember }
}
