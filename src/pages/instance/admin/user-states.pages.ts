/** The forms by which administrators change the state of an account. */
import { changeUserState, type StateAct } from '../../../features/people/users/users.ts'
import { rejectUser } from '../../../features/spaces/user-deletion/user-deletion.ts'
import { within } from '../../../http/declare/within.ts'
import { action } from '../../frame/declaration.ts'
import { administration } from './admin-view.ts'
import { sentences } from './sentences.ts'
import { adminAddressOf, namedUser } from './users.pages.ts'

const waiting = '/admin/users?filter=blocked_pending_approval'

const change = (act: StateAct, notice: () => string) =>
  action(`POST /admin/users/:username/${act}`, {
    access: within(administration(), namedUser),
    async act({ app, owner }) {
      await changeUserState(app, owner.id, act)
      return { redirect: act === 'approve' ? waiting : adminAddressOf(owner), notice: notice() }
    },
  })

export const userStatePages = [
  change('approve', () => sentences.userApproved),
  change('block', () => sentences.userBlocked),
  change('unblock', () => sentences.userUnblocked),
  change('deactivate', () => sentences.userDeactivated),
  change('activate', () => sentences.userUnblocked),
  change('ban', () => sentences.userBanned),
  change('unban', () => sentences.userUnbanned),
  action('POST /admin/users/:username/reject', {
    access: within(administration(), namedUser),
    async act({ app, owner }) {
      await rejectUser(app, owner.id)
      return { redirect: waiting, notice: sentences.userRejected }
    },
  }),
]
