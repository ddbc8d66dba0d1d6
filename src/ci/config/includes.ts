/** Merges included files into a file, with limits on number, size and depth. The given loader reads each file. */
import type { IncludedFile, IncludeEntry, IncludeLoader, LoadedInclude } from '../plan.ts'
import type { Patterns } from '../text/patterns.ts'
import { expand, type Lookup } from '../text/variables.ts'
import { maxText, readYaml } from '../yaml/read-yaml.ts'
import type { YamlMap } from '../yaml/values.ts'
import type { Rule } from './config.types.ts'
import { deepMerge } from './extends.ts'
import { type ConditionalInclude, readIncludeEntries } from './include-entries.ts'
import { withInputs } from './inputs.ts'
import type { Location } from './location.ts'
import { ConfigError } from './references.ts'

const maxFiles = 150
const maxDepth = 20
/** Limit of all files together, in characters. */
const maxTexts = 4_194_304

export interface IncludeOptions {
  load: IncludeLoader
  patterns: Patterns
  /** Whether the rules of an include accept it. */
  decide: (rules: Rule[]) => Promise<boolean>
  /** Resolves variables in file names. */
  lookup: Lookup
}

interface State extends IncludeOptions {
  where: Location
  files: IncludedFile[]
  left: number
}

/** Throws a `ConfigError` for a file that can't be loaded. */
export async function withIncludes(
  root: YamlMap,
  options: IncludeOptions,
  where: Location,
): Promise<{ merged: YamlMap; files: IncludedFile[] }> {
  const state: State = { ...options, where, files: [], left: maxTexts }
  const merged = await merge(root, null, [], state)
  return { merged, files: state.files }
}

async function merge(root: YamlMap, origin: unknown, ancestors: string[], state: State): Promise<YamlMap> {
  const given = root.get('include') ?? null
  const own = new Map(root)
  own.delete('include')
  if (given === null) return own
  if (ancestors.length >= maxDepth) throw new ConfigError(`Includes are nested too deep (maximum is ${maxDepth})`)
  let merged: YamlMap = new Map()
  for (const include of readIncludeEntries(given, { ...state.where, location: 'include' })) {
    for (const file of await filesOf(include, origin, ancestors, state)) merged = deepMerge(merged, file)
  }
  return deepMerge(merged, own)
}

/** The files of one entry, each with its own includes merged in. */
async function filesOf({ entry, rules }: ConditionalInclude, origin: unknown, ancestors: string[], state: State): Promise<YamlMap[]> {
  if (rules && !(await state.decide(rules))) return []
  const wanted = expandedEntry(entry, state.lookup)
  const loaded = await load(wanted, origin, state)
  if ('error' in loaded) throw new ConfigError(loaded.error)
  if ('file' in loaded) return [await included(loaded.file, wanted, ancestors, state)]
  const maps: YamlMap[] = []
  for (const path of chosen(wanted, loaded.among, state)) {
    const found = await load({ kind: 'local', file: path }, loaded.origin, state)
    if ('file' in found) maps.push(await included(found.file, wanted, ancestors, state))
    else if ('error' in found && !found.isEmpty) throw new ConfigError(found.error)
  }
  if (maps.length === 0) throw new ConfigError(`${nameOfEntry(wanted)} does not exist!`)
  return maps
}

/** One file at a time, so that nothing is read beyond the limits. */
function load(entry: IncludeEntry, origin: unknown, state: State): Promise<LoadedInclude> {
  if (state.files.length >= maxFiles) throw new ConfigError(`Maximum of ${maxFiles} nested includes are allowed!`)
  return state.load(entry, origin, Math.min(maxText, state.left))
}

/** The paths that match a wildcard, in order. */
function chosen(wanted: IncludeEntry, paths: string[], { patterns }: State): string[] {
  const glob = 'file' in wanted ? wanted.file.replace(/^\/+/, '') : ''
  // A file with such a name can't be distinguished from a wildcard.
  const found = patterns.matching(glob, paths).filter((path) => !path.includes('*'))
  if (found.length > maxFiles) throw new ConfigError(`${nameOfEntry(wanted)} matches more than ${maxFiles} files`)
  return found
}

function nameOfEntry(entry: IncludeEntry): string {
  const file = 'file' in entry ? entry.file : ''
  return entry.kind === 'project' ? `Project \`${entry.project}\` file \`${file}\`` : `Local file \`${file}\``
}

type LoadedFile = Extract<LoadedInclude, { file: unknown }>['file']

async function included({ location, text, origin }: LoadedFile, wanted: IncludeEntry, ancestors: string[], state: State): Promise<YamlMap> {
  const name = `${wanted.kind} ${'project' in wanted ? wanted.project : ''} ${location}`
  if (ancestors.includes(name)) throw new ConfigError(`Include \`${location}\` was already included!`)
  state.left -= text.length
  if (state.left < 0) throw new ConfigError('The parsed YAML is too big')
  state.files.push({ kind: wanted.kind, location, extra: extraOf(wanted) })
  const read = readYaml(text)
  if ('error' in read) throw new ConfigError(`Included file \`${location}\` does not have valid YAML syntax! ${read.error}`)
  const { patterns, lookup } = state
  const body = withInputs(read.value, read.spec, wanted.inputs ?? {}, { location, patterns, lookup })
  return merge(body, origin, [...ancestors, name], state)
}

function expandedEntry(entry: IncludeEntry, lookup: Lookup): IncludeEntry {
  if (entry.kind === 'remote') return { ...entry, url: expand(entry.url, lookup) }
  if (entry.kind === 'component') return { ...entry, component: expand(entry.component, lookup) }
  if (entry.kind !== 'project') return { ...entry, file: expand(entry.file, lookup) }
  const { project, ref, file } = entry
  return { ...entry, project: expand(project, lookup), ref: ref && expand(ref, lookup), file: expand(file, lookup) }
}

function extraOf(entry: IncludeEntry): Record<string, string> {
  if (entry.kind === 'project') return { project: entry.project, ref: entry.ref ?? 'HEAD' }
  if (entry.kind === 'component') return { component: entry.component }
  return entry.kind === 'artifact' ? { job: entry.job } : {}
}
