/** Endpoints for the estimate and the spent time of issuables. */
import { Type } from 'typebox'
import type { Base } from '../../../http/declare/context.ts'
import { type Endpoint, endpoint } from '../../../http/declare/endpoint.ts'
import type { Access, Granted, ProjectGranted, SignedIn } from '../../../http/declare/rules.ts'
import { TimeStats } from './issuables.schema.ts'
import { presentTimeStats, type Times } from './time-stats.ts'
import { addSpentTime, type ChangeTimes, setEstimate } from './time-tracking.service.ts'

const duration = Type.String({ description: 'As people write it: 1w 2d 3h 4m; a number counts hours' })

/** A kind with time tracking, with what its access rules grant. */
interface Tracked<G extends Granted, R extends Times & { id: number }> {
  /** With its article, for summaries. */
  label: string
  visible: Access<G>
  editable: Access<G>
  rowOf: (granted: G) => R
  changeIn: ChangeTimes<R>
}

/** @param at path of one of the kind */
export function timeTrackingAt<G extends ProjectGranted & SignedIn, R extends Times & { id: number }>(
  at: `/${string}`,
  kind: Tracked<G, R>,
): Endpoint[] {
  const { label, visible, editable, rowOf, changeIn } = kind
  const run = async (set: typeof setEstimate<R>, context: Base & G, sent: string | null) => {
    const { app, user, project, level } = context
    return presentTimeStats(await set(app, { user, project, level }, changeIn, rowOf(context).id, sent))
  }
  return [
    endpoint(`GET ${at}/time_stats`, {
      summary: `Get the time statistics of ${label}`,
      access: visible,
      reply: TimeStats,
      handle: (context) => presentTimeStats(rowOf(context)),
    }),
    endpoint(`POST ${at}/time_estimate`, {
      summary: `Set the time estimate of ${label}`,
      access: editable,
      body: { duration },
      reply: TimeStats,
      status: 200,
      handle: (context) => run(setEstimate, context, context.body.duration),
    }),
    endpoint(`POST ${at}/reset_time_estimate`, {
      summary: `Reset the time estimate of ${label}`,
      access: editable,
      reply: TimeStats,
      status: 200,
      handle: (context) => run(setEstimate, context, null),
    }),
    endpoint(`POST ${at}/add_spent_time`, {
      summary: `Add spent time to ${label}, or subtract it`,
      access: editable,
      body: { duration },
      reply: TimeStats,
      handle: (context) => run(addSpentTime, context, context.body.duration),
    }),
    endpoint(`POST ${at}/reset_spent_time`, {
      summary: `Reset the spent time of ${label}`,
      access: editable,
      reply: TimeStats,
      status: 200,
      handle: (context) => run(addSpentTime, context, null),
    }),
  ]
}
