/** The client that sent something, as JSON (spec 2.13). */
import { Type } from 'typebox'
import { resource } from '../../../http/parameters/schema.ts'

export const UserAgentDetail = resource('UserAgentDetail', {
  user_agent: Type.String(),
  ip_address: Type.String(),
  akismet_submitted: Type.Boolean({ description: 'Always false: nothing is submitted as spam after it was saved' }),
})
