/** Access rules of milestones: everyone who can see the place can read them, developers can change them. */
import { onProjectOrGroup, type PlaceGranted, type PlaceKind, unarchivedPlace, usingPlace } from '../../../http/declare/places.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { Id } from '../../../http/parameters/schema.ts'
import { findMilestone } from './milestones.service.ts'

const features = ['issues', 'merge_requests'] as const

/** Grants the milestone in `:milestone_id`, of the place itself. */
const milestone = nested({ milestone_id: Id }, async ({ place }: PlaceGranted, { milestone_id }, app) => ({
  milestone: await findMilestone(app.db, place, milestone_id),
}))

export const readingMilestones = (kind: PlaceKind) => usingPlace(features, onProjectOrGroup(kind, 'signed-in'))
export const writingMilestones = (kind: PlaceKind) => unarchivedPlace(usingPlace(features, onProjectOrGroup(kind, 'manage_milestones')))
export const milestoneToRead = (kind: PlaceKind) => within(readingMilestones(kind), milestone)
export const milestoneToChange = (kind: PlaceKind) => within(writingMilestones(kind), milestone)
