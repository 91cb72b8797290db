import { addShapes } from 'webhook-inbox-ui'

/** Of outcomes that only the sandbox has. */
addShapes({
  bad: <path d="m4 4 8 8m0-8-8 8" />,
  created: <circle cx="8" cy="8" r="3" fill="currentColor" />,
  exhausted: [<circle cx="8" cy="8" r="6" />, <path d="M6 6h4v4H6z" fill="currentColor" />],
  unreachable: <path d="M2 8h3.5m5 0H14M7 5.5 5.5 8 7 10.5M9 5.5 10.5 8 9 10.5" />,
})
