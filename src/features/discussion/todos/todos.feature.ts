/** Endpoints of todos, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { todos } from './todos.endpoints.ts'
import { userCounts } from './user-counts.endpoints.ts'

export const todosFeature = feature({ endpoints: section('Todos', todos, userCounts) })
