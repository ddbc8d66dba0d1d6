/** The fields that issues and merge requests have in common, as JSON. */
import { Type } from 'typebox'
import { nullable, resource } from '../../../http/parameters/schema.ts'

/** Durations in seconds, and in the form `1w 2d 3h`. */
export const TimeStats = resource('TimeStats', {
  time_estimate: Type.Integer(),
  total_time_spent: Type.Integer(),
  human_time_estimate: nullable(Type.String()),
  human_total_time_spent: nullable(Type.String()),
})
