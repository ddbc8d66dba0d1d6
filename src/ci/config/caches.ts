/** `cache`: one, or several. */
import type { JobCache } from '../plan.ts'
import { isMap, isText, type Yaml } from '../yaml/values.ts'
import { savedWhen } from './artifacts.ts'
import { aBoolean, aString, attribute, below, eitherOf, type Location, mapOf, oneOf, part, refuse, strings, whole } from './location.ts'

const keys = ['key', 'untracked', 'paths', 'policy', 'when', 'unprotect', 'fallback_keys']
const policies = ['pull-push', 'push', 'pull'] as const
const maxCaches = 4
const maxFallbackKeys = 5
const maxKeyFiles = 10

export function readCaches(value: Yaml, where: Location): JobCache[] {
  if (!Array.isArray(value)) return [readCache(value, where)].filter((cache) => cache !== null)
  if (value.length > maxCaches)
    refuse({ ...where, location: where.location.replace(/cache$/, 'caches') }, `config no more than ${maxCaches} caches can be created`)
  return value.map((one) => readCache(one, where)).filter((cache) => cache !== null)
}

function readCache(value: Yaml, where: Location): JobCache | null {
  const map = mapOf(value, where, keys)
  if (!map) return null
  const key = part(where, map, 'key', readKey) ?? { key: 'default', key_files: null }
  const fallback_keys = part(where, map, 'fallback_keys', whole(strings)) ?? []
  if (fallback_keys.length > maxFallbackKeys)
    refuse(below(where, 'fallback_keys'), `config has too many entries (maximum is ${maxFallbackKeys})`)
  for (const one of fallback_keys) checkPath(one, below(where, 'fallback_keys'))
  return {
    ...key,
    fallback_keys,
    paths: part(where, map, 'paths', whole(strings)) ?? [],
    untracked: part(where, map, 'untracked', whole(aBoolean)) ?? false,
    policy: readPolicy(map.get('policy') ?? null, where),
    when: attribute(where, map, 'when', oneOf(savedWhen, `should be ${eitherOf(savedWhen)}`)) ?? 'on_success',
    unprotect: part(where, map, 'unprotect', whole(aBoolean)) ?? false,
  }
}

/** A policy may be a variable; if its value isn't known here, it counts as both. */
function readPolicy(value: Yaml, where: Location): JobCache['policy'] {
  if (isText(value) && value.startsWith('$')) return 'pull-push'
  const policy = policies.find((one) => one === value)
  if (policy === undefined && value !== null && value !== '') refuse(where, 'policy should be pull-push, push, or pull')
  return policy ?? 'pull-push'
}

function readKey(value: Yaml, where: Location): Pick<JobCache, 'key' | 'key_files'> | null {
  if (isText(value)) {
    checkPath(value, where)
    return { key: value, key_files: null }
  }
  if (!isMap(value)) {
    refuse(where, 'config should be a hash, a string or a symbol')
    return null
  }
  const map = mapOf(value, where, ['files', 'files_commits', 'prefix'])
  if (!map) return null
  const named = map.has('files_commits') ? 'files_commits' : 'files'
  const files = part(where, map, named, whole(strings)) ?? []
  const prefix = attribute(where, map, 'prefix', aString)
  if (files.length === 0 || files.length > maxKeyFiles)
    refuse(
      below(where, named),
      files.length > maxKeyFiles ? `config has too many items (maximum is ${maxKeyFiles})` : "config can't be blank",
    )
  return { key: 'default', key_files: { files, prefix } }
}

/** Keys become names of folders. */
function checkPath(key: string, where: Location): void {
  const decoded = key.replace(/%2f/gi, '/').replace(/%2e/gi, '.')
  if (decoded.includes('/')) refuse(where, 'config cannot contain the "/" character')
  else if (/^\.+$/.test(decoded)) refuse(where, 'config cannot be "." or ".."')
}
