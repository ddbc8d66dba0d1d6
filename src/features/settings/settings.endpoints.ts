/** Settings of the whole instance (spec 2.21, 4.22): those that have effect so far. */
import { Type } from 'typebox'
import { endpoint } from '../../http/endpoint.ts'
import { administrator } from '../../http/rules.ts'
import { nullable } from '../../http/schema.ts'
import { changeSettings, readSettings } from './settings.service.ts'

const Pushes = nullable(Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1, description: 'Number of pushes; null: by need alone' }))

const Settings = Type.Object({
  default_branch_protection: Type.Unsafe<0 | 1 | 2 | 3>({
    type: 'integer',
    enum: [0, 1, 2, 3],
    description: '0: not protected. 1: developers may push to it. 2: only maintainers. 3: developers may merge into it',
  }),
  housekeeping_enabled: Type.Boolean({ description: 'Enabling it requires the four settings that follow' }),
  housekeeping_bitmaps_enabled: Type.Boolean(),
  housekeeping_incremental_repack_period: Pushes,
  housekeeping_full_repack_period: Pushes,
  housekeeping_gc_period: Pushes,
})

export const settings = [
  endpoint('GET /application/settings', {
    summary: 'Get the settings of the instance that have effect so far',
    access: administrator(),
    reply: Settings,
    handle: ({ app }) => readSettings(app.db),
  }),
  endpoint('PUT /application/settings', {
    summary: 'Change settings of the instance; those that have no effect yet are ignored',
    access: administrator(),
    body: Type.Partial(Settings).properties,
    reply: Settings,
    handle: ({ app, body }) => changeSettings(app.db, body),
  }),
]
