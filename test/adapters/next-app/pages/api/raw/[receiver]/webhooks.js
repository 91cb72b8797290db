import { nextPagesHandler } from 'webhook-inbox/next'
import { mounted } from '../../../../mounted.js'

export const config = { api: { bodyParser: false } }

export default (request, response) => nextPagesHandler(mounted(request.query.receiver))(request, response)
