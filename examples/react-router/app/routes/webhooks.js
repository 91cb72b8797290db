import { fetchHandler } from 'webhook-inbox/fetch'
import { receiver } from '../receiver.server.js'

const receive = fetchHandler(receiver)

/** For POST, PUT, PATCH and DELETE. The file has no component, so it is a resource route. */
export const action = ({ request }) => receive(request)

/** For GET. */
export const loader = ({ request }) => receive(request)
