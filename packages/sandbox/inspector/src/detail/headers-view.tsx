import type { HeaderPairs } from '../api/records.js'

/** Headers as they went over the wire, in their order. */
export function HeadersView({ headers, of }: { readonly headers: HeaderPairs; readonly of: string }) {
  return (
    <table class="wraps headers" aria-label={`Headers of the ${of}`}>
      <tbody>
        {headers.map(([name, value], at) => (
          <tr key={at}>
            <th scope="row" class="mono">
              {name}
            </th>
            <td class="mono">{value}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
