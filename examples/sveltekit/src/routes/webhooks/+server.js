import { fetchHandler } from 'webhook-inbox/fetch'
import { receiver } from '../../lib/server/receiver.js'

const receive = fetchHandler(receiver)

/** @type {import('@sveltejs/kit').RequestHandler} */
export const fallback = ({ request }) => receive(request)
