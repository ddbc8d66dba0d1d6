/** Loads what CI files include: from the repository, from projects the user can read, from templates, and from the web. */
import { mayUse } from '../../../access/features.ts'
import { canDownload, findProject, type LocatedProject } from '../../../access/find.ts'
import type { Viewer } from '../../../access/visible.ts'
import type { App } from '../../../app.ts'
import type { IncludeEntry, IncludeLoader, LoadedInclude } from '../../../ci/plan.ts'
import { Failure, nullIfMissing, plainWords } from '../../../failure.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import { showingMergeRequests } from '../../../git/repository/handles.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { fetchText } from '../../../outgoing/fetch-text.ts'
import { readTarget } from '../../../outgoing/ssrf-guard.ts'
import { locateTarget, targetRules } from '../../instance/targets.ts'
import { ciFiles } from '../../instance/templates/templates.ts'
import { commitOfVersion } from './component-versions.ts'
import { includedFileAt, pathsOf } from './files.service.ts'

/** Limit of one file; and the number and time limit of all remote files of one CI file. */
const remote = { max_bytes: 1_048_576, deadline_ms: 10_000, maxRequests: 20, allFiles_ms: 20_000 }
/** Maximum in UTF-8. */
const bytesOfChar = 4

/** The commit in which a file was read: its local includes are looked up there. */
export interface Source {
  project: LocatedProject
  repo: Repo
  commit: string
}

/**
 * A loader for the files of a commit with the permissions of this user: what they can't see doesn't exist. For one CI file: all its remote
 * includes share one maximum number of requests and one deadline.
 * @param source null for a text outside of a repository
 */
export function includeLoader(app: App, source: Source | null, viewer: Viewer): IncludeLoader {
  const web = { left: remote.maxRequests, left_ms: remote.allFiles_ms }
  return (entry, from, max_chars) => {
    if (entry.kind === 'remote') return fromWeb(app, entry.url, viewer, web, max_chars)
    return load(app, entry, isSource(from) ? from : from === null ? source : null, viewer, max_chars)
  }
}

const isSource = (from: unknown): from is Source => typeof from === 'object' && from !== null && 'commit' in from

/** `from` is null for files outside of a repository. */
async function load(
  app: App,
  entry: Exclude<IncludeEntry, { kind: 'remote' }>,
  from: Source | null,
  viewer: Viewer,
  max_chars: number,
): Promise<LoadedInclude> {
  if (entry.kind === 'template') return template(entry.file)
  if (entry.kind === 'component') return fromComponent(app, entry.component, viewer, max_chars)
  if (entry.kind === 'artifact') return { error: 'Files of jobs can be included by `trigger:include` alone' }
  if (!/\.ya?ml$/.test(entry.file)) return { error: `Included file \`${entry.file}\` does not have YAML extension!` }
  if (entry.kind === 'project') return fromProject(app, entry, viewer, max_chars)
  return from
    ? local(from, entry.file, `Local file \`${entry.file}\``, max_chars)
    : { error: `Local file \`${entry.file}\` does not have project!` }
}

async function local(from: Source, file: string, shown: string, max_chars: number): Promise<LoadedInclude> {
  if (file.includes('*')) {
    const among = await pathsOf(from.repo, from.commit)
    return among ? { among, origin: from } : { error: `${shown} can't be looked for: the repository has too many files` }
  }
  const found = await includedFileAt(from.repo, from.commit, file, max_chars * bytesOfChar)
  if (!found) return { error: `${shown} does not exist!` }
  if ('isTooLarge' in found) return { error: `${shown} is too big!` }
  const { text } = found
  return text.trim() === '' ? { error: `${shown} is empty!`, isEmpty: true } : { file: { location: file, text, origin: from } }
}

async function fromProject(
  app: App,
  { project: path, ref, file }: Extract<IncludeEntry, { kind: 'project' }>,
  viewer: Viewer,
  max_chars: number,
): Promise<LoadedInclude> {
  const found = await readableProject(app, path, viewer)
  if (!found) {
    return {
      error: `Project \`${path}\` not found or access denied! Make sure any includes in the pipeline configuration are correctly defined.`,
    }
  }
  const { project, repo } = found
  const revision = ref ?? (project.default_branch && `refs/heads/${project.default_branch}`)
  const commit = revision ? await resolveCommit(repo, revision) : null
  if (!commit) return { error: `Project \`${path}\` reference \`${ref ?? 'HEAD'}\` does not exist!` }
  return local({ project, repo, commit }, file, `Project \`${path}\` file \`${file}\``, max_chars)
}

/** The project, if the user may download its code; null otherwise. */
async function readableProject(app: App, path: string, viewer: Viewer): Promise<Omit<Source, 'commit'> | null> {
  const access = await findProject(app.db, path.replace(/^\/+/, ''), viewer).catch(nullIfMissing)
  if (!access || !canDownload(access, viewer)) return null
  const { project } = access
  return { project, repo: showingMergeRequests(app.git.open(project.id), mayUse('merge_requests', access)) }
}

/** A file in `templates/` of a project of this instance, at a commit, a tag, a branch or the newest version. */
async function fromComponent(app: App, component: string, viewer: Viewer, max_chars: number): Promise<LoadedInclude> {
  const shown = `Component \`${component}\``
  const [, host, path, name, version] = /^([^/]+)\/(.+)\/([\w.-]+)@([^@\s]+)$/.exec(component) ?? []
  if (!path || !name || !version) return { error: `${shown} is not of the form \`host/group/project/name@version\`!` }
  if (host !== new URL(app.config.url).host) return { error: `${shown} is not of this server!` }
  const found = await readableProject(app, path, viewer)
  const commit = found && (await commitOfVersion(found.repo, version))
  if (!found || !commit) return { error: `${shown} not found or access denied!` }
  const at = { ...found, commit }
  const file = await local(at, `templates/${name}.yml`, shown, max_chars)
  return 'error' in file && !file.isEmpty ? local(at, `templates/${name}/template.yml`, shown, max_chars) : file
}

function template(file: string): LoadedInclude {
  const name = file.replace(/\.gitlab-ci\.yml$/, '')
  const text = name === file || !Object.hasOwn(ciFiles, name) ? undefined : ciFiles[name]
  return text === undefined
    ? { error: `Template file \`${file}\` is not a valid location!` }
    : { file: { location: file, text, origin: 'template' } }
}

async function fromWeb(
  app: App,
  url: string,
  viewer: Viewer,
  web: { left: number; left_ms: number },
  max_chars: number,
): Promise<LoadedInclude> {
  const failed = (why: string) => ({ error: `Remote file \`${url}\` could not be fetched: ${why}` })
  // Otherwise anonymous users could send requests from this server.
  if (viewer === null) return failed('Sign in to check a file that includes it')
  if (web.left-- <= 0) return failed(`A file can include ${remote.maxRequests} files of the web`)
  const deadline_ms = Math.min(remote.deadline_ms, web.left_ms)
  if (deadline_ms <= 0) return failed('The files of the web take too long')
  const began = performance.now()
  try {
    const target = await locateTarget(app, readTarget(url, await targetRules(app)))
    const limits = { max_bytes: Math.min(remote.max_bytes, max_chars * bytesOfChar), deadline_ms: Math.ceil(deadline_ms) }
    return { file: { location: url, text: await fetchText(target, limits), origin: 'remote' } }
  } catch (error) {
    if (error instanceof Failure) return failed(plainWords(error))
    throw error
  } finally {
    web.left_ms -= performance.now() - began
  }
}
