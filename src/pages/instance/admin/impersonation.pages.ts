/** The end of an impersonation. */
import { stopImpersonation } from '../../../features/people/sessions/sessions.ts'
import { signedIn } from '../../../http/declare/rules.ts'
import { action } from '../../frame/declaration.ts'
import { sentences } from './sentences.ts'
import { adminAddressOf } from './users.pages.ts'

export const impersonationPages = [
  action('POST /admin/impersonation/stop', {
    access: signedIn(),
    async act({ app, user, session_digest }) {
      const secret = await stopImpersonation(app, user, session_digest ?? '')
      return { session: secret, redirect: adminAddressOf(user), notice: sentences.impersonationStopped }
    },
  }),
]
