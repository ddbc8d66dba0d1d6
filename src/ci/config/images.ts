/** `image` and `services`. */
import type { JobImage, JobService } from '../plan.ts'
import { isMap, isText, type Yaml, type YamlMap } from '../yaml/values.ts'
import {
  aString,
  attribute,
  below,
  type Check,
  hasKnownKeys,
  type Location,
  mapOf,
  part,
  refuse,
  stringOrStrings,
  strings,
} from './location.ts'
import { plainVariables, readVariables } from './variables.ts'

const imageKeys = ['name', 'entrypoint', 'pull_policy', 'docker', 'kubernetes', 'ports']
const serviceKeys = [...imageKeys, 'alias', 'command', 'variables']
const policies = ['always', 'never', 'if-not-present']

/** Null for an invalid image, which is reported. */
export function readImage(value: Yaml, where: Location): JobImage | null {
  const map = namedMap(value, where, imageKeys)
  return map && imageOf(map, where)
}

export function readServices(value: Yaml, where: Location): JobService[] {
  if (!Array.isArray(value)) {
    refuse(where, 'config should be a array')
    return []
  }
  const at: Location = { ...where, location: where.location.replace(/services$/, 'service') }
  return value.map((one) => readService(one, at)).filter((service) => service !== null)
}

function readService(value: Yaml, where: Location): JobService | null {
  const map = namedMap(value, where, serviceKeys)
  if (!map) return null
  const alias = attribute(where, map, 'alias', aString)
  const command = attribute(where, map, 'command', strings)
  const variables = plainVariables(part(where, map, 'variables', readVariables) ?? [])
  return { ...imageOf(map, where), alias, command, variables }
}

/** A string is the name. */
function namedMap(value: Yaml, where: Location, keys: string[]): YamlMap | null {
  const map: Yaml = isText(value) ? new Map([['name', value]]) : value
  if (!isMap(map)) {
    refuse(where, 'config should be a hash or a string')
    return null
  }
  if (!hasKnownKeys(map, where, keys)) return null
  const name = map.get('name') ?? null
  if (isText(name) && name !== '') return map
  refuse(where, name === null || name === '' ? "name can't be blank" : 'name should be a string')
  return null
}

function imageOf(map: YamlMap, where: Location): JobImage {
  return {
    name: String(map.get('name')),
    entrypoint: attribute(where, map, 'entrypoint', strings),
    pull_policy: attribute(where, map, 'pull_policy', pullPolicy),
    executor_opts: executorOptions(map, where),
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
function executorOptions(map: YamlMap, where: Location): JobImage['executor_opts'] {
  const docker = part(where, map, 'docker', (value, at) => textsOf(value, at, ['platform', 'user']))
  const kubernetes = part(where, map, 'kubernetes', (value, at) => textsOf(value, at, ['user']))
  if (!docker && !kubernetes) return null
  return { ...(docker && { docker }), ...(kubernetes && { kubernetes }) }
}

function textsOf(value: Yaml, where: Location, keys: string[]): Record<string, string> {
  const map = mapOf(value, where, keys)
  const texts: Record<string, string> = {}
  for (const [key, text] of map ?? []) {
    if (isText(text) || typeof text === 'number') texts[key] = String(text)
    else refuse(below(where, key), 'config should be a string')
  }
  return texts
}
