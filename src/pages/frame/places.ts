/** Pages that projects and groups have in common: declared once, with the frame of either. */
import type { User } from '../../db/tables.ts'
import type { Place } from '../../http/declare/places.ts'
import type { View } from './declaration.ts'

/** Puts a view into the frame of its project or group: breadcrumbs and tabs. */
export type PlaceFrame = (seen: { place: Place; user: User }, view: Omit<View, 'above'>) => View | Promise<View>
