-- Sends the body of a file again and again.
function init(arguments)
  local file = io.open(arguments[1])
  wrk.method = "POST"
  wrk.body = file:read("*a")
  file:close()
end
