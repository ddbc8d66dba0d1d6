/** Loads what CI files include: from the repository, from projects the user can read, from templates, and from the web. */
import { canDownload, findProject, type LocatedProject } from '../../../access/find.ts'
import type { Viewer } from '../../../access/visible.ts'
import type { App } from '../../../app.ts'
import type { IncludeEntry, IncludeLoader, LoadedInclude } from '../../../ci/plan.ts'
import { matchesGlob } from '../../../ci/text/glob.ts'
import { Failure, nullIfMissing, plainWords } from '../../../failure.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { fetchText } from '../../../outgoing/fetch-text.ts'
import { readTarget } from '../../../outgoing/ssrf-guard.ts'
import { ciFiles } from '../../instance/templates/templates.ts'
import { locateTarget, targetRules } from '../../transfer/targets.ts'
import { fileAt, pathsOf } from './files.service.ts'

const remote = { max_bytes: 1_048_576, deadline_ms: 10_000 }
const maxMatches = 150

/** Where a file was read: what it includes itself is looked for there. */
export interface Source {
  project: LocatedProject
  repo: Repo
  commit: string
}

/** A loader for the files of a commit, as this user may read them: what they can't see is as if it weren't there. */
export function includeLoader(app: App, source: Source, viewer: Viewer): IncludeLoader {
  return (entry, from) => load(app, entry, isSource(from) ? from : from === null ? source : null, viewer)
}

const isSource = (from: unknown): from is Source => typeof from === 'object' && from !== null && 'commit' in from

/** `from` is null in files that are in no repository. */
async function load(app: App, entry: IncludeEntry, from: Source | null, viewer: Viewer): Promise<LoadedInclude> {
  if (entry.kind === 'template') return template(entry.file)
  if (entry.kind === 'remote') return fromWeb(app, entry.url)
  if (entry.kind === 'artifact') return { error: 'Files of jobs can be included by `trigger:include` alone' }
  if (!/\.ya?ml$/.test(entry.file)) return { error: `Included file \`${entry.file}\` does not have YAML extension!` }
  if (entry.kind === 'project') return fromProject(app, entry, viewer)
  return from ? local(from, entry.file, `Local file \`${entry.file}\``) : { error: `Local file \`${entry.file}\` does not have project!` }
}

async function local(from: Source, file: string, shown: string): Promise<LoadedInclude> {
  if (file.includes('*')) return matching(from, file.replace(/^\/+/, ''), shown)
  const text = await fileAt(from.repo, from.commit, file)
  if (text === null) return { error: `${shown} does not exist!` }
  return text.trim() === '' ? { error: `${shown} is empty!` } : { files: [{ location: file, text, origin: from }] }
}

/** Files in the order of their paths. */
async function matching(from: Source, pattern: string, shown: string): Promise<LoadedInclude> {
  const paths = await pathsOf(from.repo, from.commit)
  if (!paths) return { error: `${shown} can't be looked for: the repository has too many files` }
  const found = paths.filter(matchesGlob(pattern)).slice(0, maxMatches + 1)
  if (found.length > maxMatches) return { error: `${shown} matches more than ${maxMatches} files` }
  const files: { location: string; text: string; origin: Source }[] = []
  for (const location of found) {
    const text = await fileAt(from.repo, from.commit, location)
    if (text !== null && text.trim() !== '') files.push({ location, text, origin: from })
  }
  return files.length > 0 ? { files } : { error: `${shown} does not exist!` }
}

async function fromProject(
  app: App,
  { project: path, ref, file }: Extract<IncludeEntry, { kind: 'project' }>,
  viewer: Viewer,
): Promise<LoadedInclude> {
  const access = await findProject(app.db, path.replace(/^\/+/, ''), viewer).catch(nullIfMissing)
  if (!access || !canDownload(access, viewer)) {
    return {
      error: `Project \`${path}\` not found or access denied! Make sure any includes in the pipeline configuration are correctly defined.`,
    }
  }
  const { project } = access
  const repo = app.git.open(project.id)
  const revision = ref ?? (project.default_branch && `refs/heads/${project.default_branch}`)
  const commit = revision ? await resolveCommit(repo, revision) : null
  if (!commit) return { error: `Project \`${path}\` reference \`${ref ?? 'HEAD'}\` does not exist!` }
  return local({ project, repo, commit }, file, `Project \`${path}\` file \`${file}\``)
}

function template(file: string): LoadedInclude {
  const name = file.replace(/\.gitlab-ci\.yml$/, '')
  const text = name === file || !Object.hasOwn(ciFiles, name) ? undefined : ciFiles[name]
  return text === undefined
    ? { error: `Template file \`${file}\` is not a valid location!` }
    : { files: [{ location: file, text, origin: 'template' }] }
}

async function fromWeb(app: App, url: string): Promise<LoadedInclude> {
  try {
    const target = await locateTarget(app, readTarget(url, await targetRules(app)))
    return { files: [{ location: url, text: await fetchText(target, remote), origin: 'remote' }] }
  } catch (error) {
    if (error instanceof Failure) return { error: `Remote file \`${url}\` could not be fetched: ${plainWords(error)}` }
    throw error
  }
}
