import { fetchHandler } from 'webhook-inbox/fetch'
import { receiver } from '../receiver.js'

export const prerender = false

const receive = fetchHandler(receiver)

/** @type {import('astro').APIRoute} */
export const ALL = ({ request }) => receive(request)
