/** Parses a text to a configuration: YAML, includes, `extends`, references, and then every key. */
import type { IncludeEntry, IncludeSource, Parsed, PlainValue } from '../plan.ts'
import { PatternsTooCostly } from '../text/patterns.ts'
import { readYaml } from '../yaml/read-yaml.ts'
import type { Yaml, YamlMap } from '../yaml/values.ts'
import type { Config } from './config.types.ts'
import { resolveExtends } from './extends.ts'
import { type IncludeOptions, withIncludes } from './includes.ts'
import { withInputs, yamlOf } from './inputs.ts'
import type { Location } from './location.ts'
import { readConfig } from './read-config.ts'
import { ConfigError, resolveReferences } from './references.ts'

export interface ParseOptions extends IncludeOptions {
  /** Values for the inputs of the file, or of those that a trigger includes. */
  inputs: Readonly<Record<string, PlainValue>>
}

/** Parses a file, or the files that a trigger includes. Never throws for errors of the author. */
export async function parse(source: string | IncludeEntry[], options: ParseOptions): Promise<Parsed<Config>> {
  const where: Location = { location: '', errors: [], warnings: [], patterns: options.patterns }
  const { warnings } = where
  const root = typeof source === 'string' ? readYaml(source) : { value: rootOf(source, options.inputs), spec: null }
  if ('error' in root) return { errors: [root.error], warnings, includes: [] }
  try {
    const { lookup, patterns } = options
    const inputs = typeof source === 'string' ? options.inputs : {}
    const own = withInputs(root.value, root.spec, inputs, { location: 'the file', lookup, patterns })
    const { merged, files } = await withIncludes(own, options, where)
    const config = where.errors.length > 0 ? null : readConfig(resolveReferences(resolveExtends(merged)), where)
    if (config && where.errors.length === 0) return { config, warnings, includes: files }
    return { errors: where.errors.map((error) => error.trim()), warnings, includes: files }
  } catch (error) {
    if (error instanceof ConfigError || error instanceof PatternsTooCostly)
      return { errors: [...where.errors, error.message], warnings, includes: [] }
    throw error
  }
}

function rootOf(entries: IncludeEntry[], inputs: Readonly<Record<string, PlainValue>>): YamlMap {
  return new Map([['include', entries.map((entry) => entryOf({ ...entry, inputs: { ...inputs, ...entry.inputs } }))]])
}

function entryOf({ inputs = {}, ...entry }: IncludeEntry): Yaml {
  const map = sourceOf(entry)
  return Object.keys(inputs).length > 0 ? new Map<string, Yaml>([...map, ['inputs', yamlOf(inputs)]]) : map
}

function sourceOf(entry: IncludeSource): YamlMap {
  const { kind, ...rest } = entry
  if (kind === 'remote') return new Map([['remote', entry.url]])
  if (kind === 'component') return new Map([['component', entry.component]])
  const texts = Object.entries(rest).filter(([, value]) => value !== null) as [string, string][]
  if (kind === 'project') return new Map(texts)
  // A generated file was loaded with the job that created it: the loader knows both.
  if (kind === 'artifact') return new Map(texts.map(([key, value]) => [key === 'file' ? 'artifact' : key, value]))
  return new Map([[kind, entry.file]])
}
