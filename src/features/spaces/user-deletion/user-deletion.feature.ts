/** Endpoints of user deletion, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { userDeletion } from './user-deletion.endpoints.ts'

export const userDeletionFeature = feature({ endpoints: section('Users', userDeletion) })
