/** `id_tokens`: signed statements about a job, each for the audiences that it names. */
import type { JobIdToken } from '../plan.ts'
import { isMap, type Yaml } from '../yaml/values.ts'
import { attribute, below, hasKnownKeys, type Location, refuse, stringOrStrings } from './location.ts'

/** Each takes a signature while a runner waits for its job. */
const maxTokens = 50

export function readIdTokens(value: Yaml, where: Location): JobIdToken[] {
  if (!isMap(value)) {
    refuse(where, 'config should be a hash')
    return []
  }
  if (value.size > maxTokens) {
    refuse(where, `config has too many tokens (maximum is ${maxTokens})`)
    return []
  }
  return [...value].flatMap(([key, token]) => readIdToken(key, token, below(where, key)))
}

function readIdToken(key: string, value: Yaml, where: Location): JobIdToken[] {
  if (!/^[a-zA-Z_]\w{0,254}$/.test(key)) refuse(where, "name can contain only letters, digits and '_'")
  if (!isMap(value)) {
    refuse(where, 'config should be a hash')
    return []
  }
  if (!hasKnownKeys(value, where, ['aud'])) return []
  if (!value.has('aud')) refuse(where, 'config missing required keys: aud')
  const aud = attribute(where, value, 'aud', stringOrStrings) ?? []
  if (value.has('aud') && (value.get('aud') === null || aud.length === 0 || aud.includes(''))) refuse(where, "aud can't be blank")
  return [{ key, aud }]
}
