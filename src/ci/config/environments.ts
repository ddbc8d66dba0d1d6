/** `environment`. */
import { environmentActions, environmentTiers } from '../plan.ts'
import { parseDuration } from '../text/durations.ts'
import { isMap, isText, type Yaml, type YamlMap } from '../yaml/values.ts'
import { aDuration } from './artifacts.ts'
import type { ConfiguredEnvironment } from './config.types.ts'
import { aString, attribute, eitherOf, hasKnownKeys, oneOf, type Place, refuse } from './location.ts'

const keys = ['name', 'url', 'action', 'on_stop', 'auto_stop_in', 'deployment_tier', 'kubernetes']
const named = /^[\w${}. -]([\w/${}. -]*[\w${}. -])?$/
const nameWords = "can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', and spaces, but it cannot start or end with '/'"

export function readEnvironment(value: Yaml, place: Place): ConfiguredEnvironment | null {
  if (!isMap(value) && !isText(value)) {
    refuse(place, 'config should be a hash or a string')
    return null
  }
  const map: YamlMap = isText(value) ? new Map([['name', value]]) : value
  if (!hasKnownKeys(map, place, keys)) return null
  const name = map.get('name') ?? ''
  if (!isText(name) || !named.test(name)) {
    refuse(place, name === '' ? "name can't be blank" : `name ${nameWords}`)
    return null
  }
  const url = attribute(place, map, 'url', aString)
  if (url !== null && url.length > 255) refuse(place, 'url is too long (maximum is 255 characters)')
  const auto_stop = attribute(place, map, 'auto_stop_in', aDuration)
  return {
    name,
    url,
    action: attribute(place, map, 'action', oneOf(environmentActions, `should be ${eitherOf(environmentActions)}`)) ?? 'start',
    on_stop: attribute(place, map, 'on_stop', aString),
    auto_stop_in_s: auto_stop === null || auto_stop === 'never' ? null : parseDuration(auto_stop),
    deployment_tier: attribute(place, map, 'deployment_tier', oneOf(environmentTiers, `must be one of ${environmentTiers.join(', ')}`)),
  }
}
