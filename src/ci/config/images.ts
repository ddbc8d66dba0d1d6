/** `image` and `services`. */
import type { JobImage, JobService } from '../plan.ts'
import { isMap, isText, type Yaml, type YamlMap } from '../yaml/values.ts'
import {
  aString,
  attribute,
  below,
  type Check,
  hasKnownKeys,
  mapOf,
  type Place,
  part,
  refuse,
  stringOrStrings,
  strings,
} from './location.ts'
import { plainVariables, readVariables } from './variables.ts'

const imageKeys = ['name', 'entrypoint', 'pull_policy', 'docker', 'kubernetes', 'ports']
const serviceKeys = [...imageKeys, 'alias', 'command', 'variables']
const policies = ['always', 'never', 'if-not-present']

/** Null for what is no image; then that is said. */
export function readImage(value: Yaml, place: Place): JobImage | null {
  const map = namedMap(value, place, imageKeys)
  return map && imageOf(map, place)
}

export function readServices(value: Yaml, place: Place): JobService[] {
  if (!Array.isArray(value)) {
    refuse(place, 'config should be a array')
    return []
  }
  const at: Place = { ...place, location: place.location.replace(/services$/, 'service') }
  return value.map((one) => readService(one, at)).filter((service) => service !== null)
}

function readService(value: Yaml, place: Place): JobService | null {
  const map = namedMap(value, place, serviceKeys)
  if (!map) return null
  const alias = attribute(place, map, 'alias', aString)
  const command = attribute(place, map, 'command', strings)
  const variables = plainVariables(part(place, map, 'variables', readVariables) ?? [])
  return { ...imageOf(map, place), alias, command, variables }
}

/** A string is the name alone. */
function namedMap(value: Yaml, place: Place, keys: string[]): YamlMap | null {
  const map: Yaml = isText(value) ? new Map([['name', value]]) : value
  if (!isMap(map)) {
    refuse(place, 'config should be a hash or a string')
    return null
  }
  if (!hasKnownKeys(map, place, keys)) return null
  const name = map.get('name') ?? null
  if (isText(name) && name !== '') return map
  refuse(place, name === null || name === '' ? "name can't be blank" : 'name should be a string')
  return null
}

function imageOf(map: YamlMap, place: Place): JobImage {
  return {
    name: String(map.get('name')),
    entrypoint: attribute(place, map, 'entrypoint', strings),
    pull_policy: attribute(place, map, 'pull_policy', pullPolicy),
    executor_opts: executorOptions(map, place),
  }
}

const pullPolicy: Check<string[]> = {
  accept: (value) => {
    const given = stringOrStrings.accept(value)
    return given?.every((policy) => policies.includes(policy)) ? given : undefined
  },
  words: `should be one or more of: ${policies.join(', ')}`,
}

/** `docker` and `kubernetes` of an image: for runners with those executors. */
function executorOptions(map: YamlMap, place: Place): JobImage['executor_opts'] {
  const docker = part(place, map, 'docker', (value, at) => textsOf(value, at, ['platform', 'user']))
  const kubernetes = part(place, map, 'kubernetes', (value, at) => textsOf(value, at, ['user']))
  if (!docker && !kubernetes) return null
  return { ...(docker && { docker }), ...(kubernetes && { kubernetes }) }
}

function textsOf(value: Yaml, place: Place, keys: string[]): Record<string, string> {
  const map = mapOf(value, place, keys)
  const texts: Record<string, string> = {}
  for (const [key, text] of map ?? []) {
    if (isText(text) || typeof text === 'number') texts[key] = String(text)
    else refuse(below(place, key), 'config should be a string')
  }
  return texts
}
