/** Locations in a file, and the errors found there, in the reference's words. */
import type { Patterns } from '../text/patterns.ts'
import { isMap, isText, type Yaml, type YamlMap } from '../yaml/values.ts'

/** A longer list of errors helps nobody. */
const maxErrors = 100
/** Messages contain names of jobs. */
const maxMessage_chars = 2_000

export interface Location {
  /** `jobs:rspec:artifacts`; empty at the top level. */
  location: string
  errors: string[]
  warnings: string[]
  /** The regular expressions and globs of the whole file. */
  patterns: Patterns
}

export function below(where: Location, key: string): Location {
  return { ...where, location: where.location === '' ? key : `${where.location}:${key}` }
}

/** `jobs:rspec config should be a hash`. */
export function refuse(where: Location, message: string): void {
  if (where.errors.length < maxErrors) where.errors.push(`${where.location} ${message}`.slice(0, maxMessage_chars))
}

/** Parses a part of a mapping: an error if it fails, undefined if it is missing or null. */
export function part<T>(where: Location, map: YamlMap, key: string, read: (value: Yaml, where: Location) => T): T | null {
  const value = map.get(key)
  return value === undefined || value === null ? null : read(value, below(where, key))
}

/** Parses a plain value of a mapping, which has no location of its own: `tags should be …`. */
export function attribute<T>(where: Location, map: YamlMap, key: string, check: Check<T>): T | null {
  const value = map.get(key)
  if (value === undefined || value === null) return null
  const checked = check.accept(value)
  if (checked === undefined) refuse(where, `${key.replaceAll('_', ' ')} ${check.words}`)
  return checked ?? null
}

/** A validator: `accept` parses a value, or returns undefined if it is invalid; then `words` tell what it should be. */
export interface Check<T> {
  accept: (value: Yaml) => T | undefined
  words: string
}

/** Like `attribute`, for one value that has its own location: `config should be …`. */
export function whole<T>(check: Check<T>): (value: Yaml, where: Location) => T | null {
  return (value, where) => {
    const checked = check.accept(value)
    if (checked === undefined) refuse(where, `config ${check.words}`)
    return checked ?? null
  }
}

export const aString: Check<string> = { accept: (value) => (isText(value) ? value : undefined), words: 'should be a string' }

export const aBoolean: Check<boolean> = {
  accept: (value) => (typeof value === 'boolean' ? value : undefined),
  words: 'should be a boolean value',
}

export const strings: Check<string[]> = {
  accept: (value) => (Array.isArray(value) && value.every(isText) ? value : undefined),
  words: 'should be an array of strings',
}

export const stringOrStrings: Check<string[]> = {
  accept: (value) => (isText(value) ? [value] : strings.accept(value)),
  words: 'should be an array of strings or a string',
}

export function oneOf<T extends string>(allowed: readonly T[], words: string): Check<T> {
  return { accept: (value) => allowed.find((one) => one === value), words }
}

/** `a, b or c`. */
export function eitherOf(names: readonly string[]): string {
  return `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
}

/** A mapping with only these keys; null if it is invalid, which is reported. */
export function mapOf(value: Yaml | undefined, where: Location, keys: readonly string[]): YamlMap | null {
  if (!isMap(value)) {
    refuse(where, 'config should be a hash')
    return null
  }
  return hasKnownKeys(value, where, keys) ? value : null
}

export function hasKnownKeys(map: YamlMap, where: Location, keys: readonly string[]): boolean {
  const unknown = [...map.keys()].filter((key) => !keys.includes(key))
  if (unknown.length > 0) refuse(where, `config contains unknown keys: ${unknown.slice(0, 20).join(', ')}`)
  return unknown.length === 0
}

/** Flattens nested lists; null if they are nested too deeply. */
export function flattened(value: Yaml): Yaml[] | null {
  if (!Array.isArray(value)) return null
  const flat: Yaml[] = []
  return flattenInto(flat, value, 0) ? flat : null
}

function flattenInto(flat: Yaml[], list: Yaml[], depth: number): boolean {
  if (depth > 10) return false
  for (const item of list) {
    if (!Array.isArray(item)) flat.push(item)
    else if (!flattenInto(flat, item, depth + 1)) return false
  }
  return true
}
