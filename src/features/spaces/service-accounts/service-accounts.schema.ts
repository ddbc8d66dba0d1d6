/** Service accounts as they are shown, and what may be sent of them. */
import { Type } from 'typebox'
import { oneOfDefault, resource, text } from '../../../http/parameters/schema.ts'

export const ServiceAccount = resource('ServiceAccount', {
  id: Type.Integer(),
  username: Type.String(),
  name: Type.String(),
  email: Type.String({ description: 'No mail is sent to it' }),
})

export const listed = { order_by: oneOfDefault('id', 'username'), sort: oneOfDefault('desc', 'asc') }

export const named = {
  name: Type.Optional(text(255)),
  username: Type.Optional(Type.String({ description: 'One that nobody has; a random one by default' })),
}
