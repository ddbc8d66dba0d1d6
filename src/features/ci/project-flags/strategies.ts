/** Validates the strategies of feature flags. Pure. */
import type { FlagStrategy } from '../../../db/tables.ts'

export const strategyNames = ['default', 'gradualRolloutUserId', 'userWithId', 'gitlabUserList', 'flexibleRollout'] as const

export type StrategyName = FlagStrategy['name']
export type StrategyParameters = Record<string, string>

const maxId_chars = 256
const maxIds_chars = 100_000
const groupId = /^[a-z]{1,32}$/
const percentage = /^(?:100|[1-9]?\d)$/
const stickinesses = ['default', 'userId', 'sessionId', 'random']

/** The parameters that each strategy has, all of them required, and what each may be. */
const rules: Record<StrategyName, Record<string, (value: string) => string | null>> = {
  default: {},
  gitlabUserList: {},
  userWithId: { userIds: (value) => idsError(value) },
  gradualRolloutUserId: { groupId: groupError, percentage: percentageError },
  flexibleRollout: {
    groupId: groupError,
    rollout: percentageError,
    stickiness: (value) => (stickinesses.includes(value) ? null : `must be one of ${stickinesses.join(', ')}`),
  },
}

/** Describes an invalid parameter of a strategy, as a sentence without its subject. */
export function parametersError(name: StrategyName, parameters: Readonly<Record<string, unknown>>): string | null {
  const wanted = Object.keys(rules[name])
  const sent = Object.keys(parameters)
  if (sent.length !== wanted.length || wanted.some((key) => !sent.includes(key)))
    return wanted.length === 0 ? 'must be empty' : `must be ${wanted.join(', ')}`
  for (const [key, value] of Object.entries(parameters)) {
    if (typeof value !== 'string') return `${key} must be text`
    const error = rules[name][key]?.(value) ?? null
    if (error !== null) return `${key} ${error}`
  }
  return null
}

/** Describes the fault of a comma-separated list of ids. */
export function idsError(value: string): string | null {
  if (value.length > maxIds_chars) return `is too long (maximum is ${maxIds_chars} characters)`
  const ids = value.split(',')
  if (ids.some((id) => id.trim() === '' || id !== id.trim())) return 'must be ids with commas between them, and no spaces around them'
  if (ids.some((id) => id.length > maxId_chars)) return `has an id that is longer than ${maxId_chars} characters`
  return new Set(ids).size === ids.length ? null : 'has an id twice'
}

function groupError(value: string): string | null {
  return groupId.test(value) ? null : 'must be 1 to 32 lowercase letters'
}

function percentageError(value: string): string | null {
  return percentage.test(value) ? null : 'must be a number from 0 to 100'
}

export function flagNameError(name: string): string | null {
  if (name.length < 2 || name.length > 63) return 'must have 2 to 63 characters'
  if (/^[a-z](?:[-_a-z0-9]*[a-z0-9])?$/.test(name)) return null
  return "can contain only lowercase letters, digits, '_' and '-'. Must start with a letter, and cannot end with '-' or '_'"
}

export function scopeError(scope: string): string | null {
  if (scope.length > 255) return 'is too long (maximum is 255 characters)'
  return /^[a-zA-Z0-9_/${}. *-]+$/.test(scope)
    ? null
    : "can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', '*' and spaces"
}
