/** The options of a job that runners get: scripts, image, services, artifacts, caches. */
import { withoutTrailing } from '../../text/trailing.ts'
import type { CrossDependency, JobArtifacts, JobOptions } from '../plan.ts'
import { isMap, isText, toPlain, type Yaml, type YamlMap } from '../yaml/values.ts'
import { readArtifacts } from './artifacts.ts'
import { readCaches } from './caches.ts'
import { readIdTokens } from './id-tokens.ts'
import { readImage, readServices } from './images.ts'
import { aString, attribute, hasKnownKeys, type Location, mapOf, part, refuse } from './location.ts'
import { readScript } from './scripts.ts'

const releaseKeys = ['tag_name', 'tag_message', 'name', 'description', 'ref', 'milestones', 'released_at', 'assets']

/** `job` includes what the job inherits, `own` is as written. */
export function readOptions(name: string, job: YamlMap, own: YamlMap, where: Location, cross_dependencies: CrossDependency[]): JobOptions {
  const artifacts = part(where, job, 'artifacts', readArtifacts)
  const pages = readPages(name, own, where)
  return {
    before_script: part(where, job, 'before_script', readScript) ?? [],
    script: part(where, own, 'script', readScript) ?? [],
    after_script: part(where, job, 'after_script', readScript) ?? [],
    image: part(where, job, 'image', readImage),
    services: part(where, job, 'services', readServices) ?? [],
    artifacts: pages ? published(artifacts, pages.publish) : artifacts,
    cache: part(where, job, 'cache', readCaches) ?? [],
    id_tokens: part(where, job, 'id_tokens', readIdTokens) ?? [],
    pre_get_sources_script: part(where, job, 'hooks', readHooks) ?? [],
    cross_dependencies,
    pages,
    release: part(where, own, 'release', readRelease),
  }
}

/** The job `pages`, and jobs with `pages: true`, publish a folder: `public` unless another is named. */
function readPages(name: string, map: YamlMap, where: Location): JobOptions['pages'] {
  const given = map.get('pages') ?? null
  const publish = attribute(where, map, 'publish', aString)
  if (given === false) return null
  if (isMap(given))
    return hasKnownKeys(given, where, ['publish', 'path_prefix', 'expire_in']) ? { publish: folderOf(given) ?? publish ?? 'public' } : null
  return given === true || name === 'pages' ? { publish: publish ?? 'public' } : null
}

function folderOf(pages: YamlMap): string | null {
  const folder = pages.get('publish')
  return isText(folder) ? folder : null
}

/** A job with `pages: true` need not list its folder as an artifact, too. */
function published(artifacts: JobArtifacts | null, publish: string): JobArtifacts | null {
  if (!artifacts || artifacts.paths.some((path) => withoutTrailing(path, '/') === publish)) return artifacts
  return artifacts.paths.length === 0 ? { ...artifacts, paths: [publish] } : artifacts
}

function readHooks(value: Yaml, where: Location): string[] {
  const map = mapOf(value, where, ['pre_get_sources_script'])
  return (map && part(where, map, 'pre_get_sources_script', readScript)) ?? []
}

function readRelease(value: Yaml, where: Location): Record<string, unknown> | null {
  const map = mapOf(value, where, releaseKeys)
  if (!map) return null
  for (const key of ['tag_name', 'description']) if (!map.get(key)) refuse(where, `${key.replace('_', ' ')} can't be blank`)
  return toPlain(map) as Record<string, unknown>
}
