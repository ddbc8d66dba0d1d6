/** Endpoints of avatars, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { avatars } from './avatars.endpoints.ts'

export const avatarsFeature = feature({ endpoints: section('Projects', avatars) })
