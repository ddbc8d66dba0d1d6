/** Validates the fields of a runner. */
import type { CiRunner } from '../../../db/tables.ts'
import { assertValid, lengthError, withoutUndefined } from '../../../validation.ts'

export const accessLevels = ['not_protected', 'ref_protected'] as const

/** The fields of a runner that can be set. Absent ones are kept, or get their defaults. */
export interface RunnerFields {
  description?: string | null | undefined
  maintenance_note?: string | null | undefined
  active?: boolean | undefined
  /** The opposite of `active`, in newer clients. */
  paused?: boolean | undefined
  locked?: boolean | undefined
  run_untagged?: boolean | undefined
  access_level?: CiRunner['access_level'] | undefined
  maximum_timeout?: number | null | undefined
  /** Each item may contain several tags, separated by commas. */
  tag_list?: string[] | undefined
}

const maxTags = 50
const min_timeout_s = 600

/** The columns for these fields. Throws 400 `{ message: { field: [error] } }` for invalid ones; `now` has the current fields. */
export function runnerColumns(fields: RunnerFields, now: Pick<CiRunner, 'tags' | 'run_untagged'>) {
  const { description, maintenance_note, locked, run_untagged, access_level, maximum_timeout } = fields
  const tags = fields.tag_list && readTags(fields.tag_list)
  const active = fields.paused === undefined ? fields.active : !fields.paused
  const isLeftIdle = !(run_untagged ?? now.run_untagged) && (tags ?? JSON.parse(now.tags)).length === 0
  assertValid({
    tags_list: isLeftIdle ? 'can not be empty when runner is not allowed to pick untagged jobs' : null,
    tag_list: tags ? tagsError(tags) : null,
    maximum_timeout: (maximum_timeout ?? min_timeout_s) < min_timeout_s ? 'needs to be at least 10 minutes' : null,
    description: lengthError(description ?? undefined, 1024),
    maintenance_note: lengthError(maintenance_note ?? undefined, 1024),
  })
  return withoutUndefined({
    description,
    maintenance_note,
    active,
    locked,
    run_untagged,
    access_level,
    maximum_timeout_s: maximum_timeout,
    tags: tags && JSON.stringify(tags),
  })
}

/** Distinct and sorted. */
export function readTags(sent: string[]): string[] {
  const tags = sent.flatMap((text) => text.split(',')).map((tag) => tag.trim())
  return [...new Set(tags)].filter((tag) => tag !== '').sort()
}

function tagsError(tags: string[]): string | null {
  if (tags.length > maxTags) return `Too many tags specified. Please limit the number of tags to ${maxTags}`
  return tags.some((tag) => tag.length > 255) ? 'is too long (maximum is 255 characters)' : null
}
