/** Endpoints of protected refs, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { protectedRefs } from './protected-refs.endpoints.ts'

export const protectedRefsFeature = feature({ endpoints: section('Protected refs', protectedRefs) })
