/** Endpoints of todos, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { todos } from './todos.endpoints.ts'

export const todosFeature = feature({ endpoints: section('Todos', todos) })
