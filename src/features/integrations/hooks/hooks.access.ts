/** The webhook in a path, in its project or group, or of the instance. */
import type { PlaceGranted } from '../../../http/declare/places.ts'
import type { SignedIn } from '../../../http/declare/rules.ts'
import { nested } from '../../../http/declare/within.ts'
import { Id } from '../../../http/parameters/schema.ts'
import { ofInstance } from './hooks.queries.ts'
import { findHook, hookPlaceOf } from './hooks.service.ts'

export const hookInPath = nested({ hook_id: Id }, async ({ place }: PlaceGranted, { hook_id }, app) => ({
  hook: await findHook(app.db, hookPlaceOf(place), hook_id),
}))

export const systemHookInPath = nested({ hook_id: Id }, async (_: SignedIn, { hook_id }, app) => ({
  hook: await findHook(app.db, ofInstance, hook_id),
}))
