#include <algorithm>
#include <cstddef>
#include <iostream>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace linear {

template <typename T>
class Matrix {
public:
    Matrix(std::size_t rows, std::size_t cols) : rows_(rows), cols_(cols), data_(rows * cols) {}

    T& operator()(std::size_t r, std::size_t c) { return data_.at(r * cols_ + c); }
    const T& operator()(std::size_t r, std::size_t c) const { return data_.at(r * cols_ + c); }

    std::size_t rows() const noexcept { return rows_; }
    std::size_t cols() const noexcept { return cols_; }

    Matrix operator*(const Matrix& other) const
    {
        if (cols_ != other.rows_) {
            throw std::invalid_argument("inner dimensions differ");
        }
        Matrix out(rows_, other.cols_);
        for (std::size_t i = 0; i < rows_; ++i)
            for (std::size_t k = 0; k < cols_; ++k)
                for (std::size_t j = 0; j < other.cols_; ++j)
                    out(i, j) += (*this)(i, k) * other(k, j);
        return out;
    }

private:
    std::size_t rows_;
    std::size_t cols_;
    std::vector<T> data_;
};

}  // namespace linear

int main()
{
    linear::Matrix<double> a(2, 3), b(3, 2);
    a(0, 1) = 2.5;
    b(1, 1) = 4.0;
    const auto product = a * b;
    std::cout << product(0, 1) << std::endl;
    return 0;
}
