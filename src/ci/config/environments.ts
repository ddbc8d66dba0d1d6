/** `environment`. */
import { environmentActions, environmentTiers } from '../plan.ts'
import { parseDuration } from '../text/durations.ts'
import { isMap, isText, type Yaml, type YamlMap } from '../yaml/values.ts'
import { aDuration } from './artifacts.ts'
import type { ConfiguredEnvironment } from './config.types.ts'
import { aString, attribute, eitherOf, hasKnownKeys, type Location, oneOf, refuse } from './location.ts'

const keys = ['name', 'url', 'action', 'on_stop', 'auto_stop_in', 'deployment_tier', 'kubernetes']
const named = /^[\w${}. -]([\w/${}. -]*[\w${}. -])?$/
const nameWords = "can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', and spaces, but it cannot start or end with '/'"

export function readEnvironment(value: Yaml, where: Location): ConfiguredEnvironment | null {
  if (!isMap(value) && !isText(value)) {
    refuse(where, 'config should be a hash or a string')
    return null
  }
  const map: YamlMap = isText(value) ? new Map([['name', value]]) : value
  if (!hasKnownKeys(map, where, keys)) return null
  const name = map.get('name') ?? ''
  if (!isText(name) || !named.test(name)) {
    refuse(where, name === '' ? "name can't be blank" : `name ${nameWords}`)
    return null
  }
  const url = attribute(where, map, 'url', aString)
  if (url !== null && url.length > 255) refuse(where, 'url is too long (maximum is 255 characters)')
  const auto_stop = attribute(where, map, 'auto_stop_in', aDuration)
  return {
    name,
    url,
    action: attribute(where, map, 'action', oneOf(environmentActions, `should be ${eitherOf(environmentActions)}`)) ?? 'start',
    on_stop: attribute(where, map, 'on_stop', aString),
    auto_stop_in_s: auto_stop === null || auto_stop === 'never' ? null : parseDuration(auto_stop),
    deployment_tier: attribute(where, map, 'deployment_tier', oneOf(environmentTiers, `must be one of ${environmentTiers.join(', ')}`)),
  }
}
