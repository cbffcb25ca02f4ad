-- Owns the requests of the OAuth comparisons: each sends the next body of a file, from the next of many addresses. What is
-- answered with a refresh token goes back to the end of the line, so that every token is shown once.
local bodies, first, last, address = {}, 1, 0, 0
local again = nil

function init(arguments)
  again = arguments[2]
  for line in io.lines(arguments[1]) do
    last = last + 1
    bodies[last] = line
  end
end

function request()
  local body = bodies[first] or "grant_type=none_left"
  bodies[first] = nil
  first = first + 1
  address = (address + 1) % 20000
  local from = "10.0." .. math.floor(address / 250) .. "." .. address % 250
  local headers = { ["Content-Type"] = "application/x-www-form-urlencoded", ["X-Forwarded-For"] = from }
  return wrk.format("POST", nil, headers, body)
end

function response(status, headers, body)
  if again == nil or status ~= 200 then return end
  local token = string.match(body, '"refresh_token":"([%w_-]+)"')
  if token == nil then return end
  last = last + 1
  bodies[last] = again .. token
end
