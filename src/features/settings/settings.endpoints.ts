/** Settings of the whole instance (spec 2.21, 4.22): those that have effect so far. */
import { Type } from 'typebox'
import { endpoint } from '../../http/endpoint.ts'
import { administrator } from '../../http/rules.ts'
import { nullable, oneOf } from '../../http/schema.ts'
import { changeSettings } from './changes.service.ts'
import { readSettings } from './settings.service.ts'

const Pushes = nullable(Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1, description: 'Number of pushes; null: by need alone' }))

/** Sizes a key of a family can have. */
const restriction = (family: string, ...sizes: number[]) =>
  Type.Unsafe<number>({ type: 'integer', enum: [0, ...sizes, -1], description: `Least size of ${family} keys in bits; 0: any; -1: none` })

const Settings = Type.Object({
  authorized_keys_enabled: Type.Boolean({ description: 'Keep an authorized_keys file for an SSH server of the machine' }),
  default_branch_protection: Type.Unsafe<0 | 1 | 2 | 3>({
    type: 'integer',
    enum: [0, 1, 2, 3],
    description: '0: not protected. 1: developers may push to it. 2: only maintainers. 3: developers may merge into it',
  }),
  enabled_git_access_protocol: nullable(oneOf('ssh', 'http')),
  rsa_key_restriction: restriction('RSA', 1024, 2048, 3072, 4096),
  dsa_key_restriction: restriction('DSA', 1024, 2048, 3072),
  ecdsa_key_restriction: restriction('ECDSA', 256, 384, 521),
  ed25519_key_restriction: restriction('Ed25519', 256),
  housekeeping_enabled: Type.Boolean({ description: 'Enabling it requires the four settings that follow' }),
  housekeeping_bitmaps_enabled: Type.Boolean(),
  housekeeping_incremental_repack_period: Pushes,
  housekeeping_full_repack_period: Pushes,
  housekeeping_gc_period: Pushes,
})

/** Clients that can't send null send one of these words for both protocols. */
const both = ['nil', ''] as const

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
    body: { ...Type.Partial(Settings).properties, enabled_git_access_protocol: Type.Optional(nullable(oneOf('ssh', 'http', ...both))) },
    reply: Settings,
    handle({ app, body: { enabled_git_access_protocol: sent, ...change } }) {
      const only = sent === 'nil' || sent === '' ? null : sent
      return changeSettings(app.db, { ...change, enabled_git_access_protocol: only })
    },
  }),
]
