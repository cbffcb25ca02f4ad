-- Owns the requests of the large benchmark: the addresses of a file, one after the other, from a given place on.
local paths, count, at = {}, 0, 0

function init(arguments)
  for line in io.lines(arguments[1]) do
    count = count + 1
    paths[count] = line
  end
  at = tonumber(arguments[2])
end

function request()
  at = at % count + 1
  return wrk.format("GET", paths[at])
end
